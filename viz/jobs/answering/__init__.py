"""What the page Answers does in the background: gathering chunks, answering, judging."""
