"""The linked reader: barcode, curve and text of all columns in one component."""
