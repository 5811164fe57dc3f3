"""Files from users other than documents: tables, lists and values, each read in a separate process and counted."""
