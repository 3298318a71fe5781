"""Special tokens of model families, which a prompt must never hold unescaped in text from files.

The lists hold the widely known tokens, and were not compared with each tokenizer.
"""

QWEN = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"),
    *("<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"),
)
SEED_CODER = (
    *("<[begin▁of▁sentence]>", "<[end▁of▁sentence]>", "<[PAD▁TOKEN]>", "<[SEP▁TOKEN]>"),
    *("<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"),
)
DEEPSEEK = (
    *("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>", "<|EOT|>"),
    *("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
)
LLAMA = ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
MISTRAL = ("[INST]", "[/INST]", "<s>", "</s>")
GEMMA = ("<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>")
