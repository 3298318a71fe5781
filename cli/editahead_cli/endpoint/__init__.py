"""The endpoint of `editahead serve`: HTTP on this machine, OpenAI's and llama.cpp's messages, and the prediction behind."""
