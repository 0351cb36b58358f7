"""Man pages and shell completion of the program, from the help texts that its command definitions give.

    make_manual.py PROGRAM FOLDER VERSION

Writes FOLDER/man1/saltus.1.gz and one page per command, and FOLDER/bash-completion/saltus.
"""

import gzip
import pathlib
import re
import subprocess
import sys

ENTRY = re.compile(r"^  (\S.*?)(?:\s{2,}(.*))?$")


def read_help(program, *words):
    """Summary, usage, {section: [(name, text)]} and the words behind 'Examples:' of a help text."""
    text = subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True).stdout
    lines = text.splitlines()
    summary, usage = lines[0], lines[1].removeprefix("Usage: ")
    sections, examples, current = {}, [], None
    for number, line in enumerate(lines[2:], 2):
        if line == "Examples:":
            examples = lines[number + 1:]
            break
        if line.endswith(":") and not line.startswith(" "):
            current = sections.setdefault(line[:-1], [])
        elif current is not None and line.startswith("    "):  # The text of an entry with a long name.
            name, before = current[-1]
            current[-1] = (name, f"{before} {line.strip()}".strip())
        elif current is not None and (match := ENTRY.match(line)):
            current.append((match[1], match[2] or ""))
    return summary, usage, sections, examples


def quote(text):
    """Text that troff takes literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def make_page(name, version, help_text):
    summary, usage, sections, examples = help_text
    lines = [f'.TH {name.upper().replace(" ", "-")} 1 "" "Saltus {version}" "User Commands"',
             ".SH NAME", f"{quote(name.replace(' ', '-'))} \\- {quote(summary.rstrip('.'))}",
             ".SH SYNOPSIS", f".B {quote(usage)}"]
    for section, entries in sections.items():
        lines.append(f".SH {section.upper()}")
        for entry, text in entries:
            lines += [".TP", f".B {quote(entry)}", quote(text)]
    if examples:
        lines += [".SH EXAMPLES", ".nf"] + [quote(line) for line in examples] + [".fi"]
    if " " not in name:
        commands = ", ".join(f"\\fBsaltus\\-{entry}\\fR(1)" for entry, _ in sections["Subcommands"])
        lines += [".SH SEE ALSO", commands]
    else:
        lines += [".SH SEE ALSO", "\\fBsaltus\\fR(1)"]
    return "\n".join(lines) + "\n"


def list_options(sections):
    """The option words of a command: -o --output …"""
    return [word for entry, _ in sections.get("Options", [])
            for word in entry.split()[0].split(",") if word.startswith("-")]


def make_completion(commands):
    cases = "\n".join(f"    {name}) options=\"{' '.join(options)}\" ;;" for name, options in commands.items())
    return f"""# bash completion of saltus
_saltus() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} options=""
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "{' '.join(commands)} --help --version" -- "$current")
    return
  fi
  case $command in
{cases}
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _saltus saltus
"""


def write_page(folder, name, text):
    path = folder / f"{name}.1.gz"
    with gzip.GzipFile(path, "wb", compresslevel=9, mtime=0) as stream:
        stream.write(text.encode())


def main(program, folder, version):
    manual = pathlib.Path(folder) / "man1"
    completion = pathlib.Path(folder) / "bash-completion"
    manual.mkdir(parents=True, exist_ok=True)
    completion.mkdir(parents=True, exist_ok=True)
    top = read_help(program)
    write_page(manual, "saltus", make_page("saltus", version, top))
    commands = {}
    for command, _ in top[2]["Subcommands"]:
        help_text = read_help(program, command)
        commands[command] = list_options(help_text[2])
        write_page(manual, f"saltus-{command}", make_page(f"saltus {command}", version, help_text))
    (completion / "saltus").write_text(make_completion(commands), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
