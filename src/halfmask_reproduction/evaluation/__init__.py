"""Information Driven Evaluation of Data Hiding Algorithms (2005): its framework, run."""
