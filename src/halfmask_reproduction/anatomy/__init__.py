"""Privacy Preservation in Transaction Databases based on Anatomy Technique: tables and figures."""
