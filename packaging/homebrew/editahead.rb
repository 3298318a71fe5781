class Editahead < Formula
  desc "Language server that predicts your next edit, in any editor"
  homepage "@REPOSITORY@"
  url "@REPOSITORY@/releases/download/v@VERSION@/editahead-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "python@3.13"

  # For a tap: Homebrew's own repository wants a resource block for each dependency instead.
  def install
    python = Formula["python@3.13"].opt_bin/"python3.13"
    system python, "-m", "venv", libexec
    pip = libexec/"bin/pip"
    system pip, "install", "--require-hashes", "--no-deps", "-r", "requirements/run.txt"
    system pip, "install", "--no-deps", "--no-build-isolation", "."
    bin.install_symlink libexec/"bin/editahead"
    man1.install Dir["docs/man/*.1"]
    generate_completions_from_executable(bin/"editahead", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/editahead --version")
    (testpath/"cart.py").write "total = 1\nprint(total)\n"
    assert_match "no-candidate", shell_output("#{bin}/editahead predict cart.py --line 1 --column 1")
  end
end
