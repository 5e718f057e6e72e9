"""Past the papers: the generator beside what people use today, on the same data and measures."""
