"""Speed: what this project's chunkers take, beside the libraries whose algorithms they follow."""
