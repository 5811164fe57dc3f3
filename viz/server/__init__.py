"""What stands before Streamlit: who may ask, and what browsers are told."""
