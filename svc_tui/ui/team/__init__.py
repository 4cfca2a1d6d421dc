"""What is asked of colleagues, said to them and handed to them."""
