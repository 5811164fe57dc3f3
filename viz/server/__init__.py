"""Server code in front of Streamlit: access rules, response headers, and patches."""
