"""The linked reader: the barcode, curve and text of all columns in one component."""
