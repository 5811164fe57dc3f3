"""Language models behind a server: what they are asked, what that costs, and what they answered before."""
