"""Privacy Preservation through Data Generation (2007): its tables, figures and statements."""
