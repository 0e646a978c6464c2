/** Renders what the Tab key may complete, for bash and zsh, from the list of commands. */
import type { CommandGroup } from './command.js';
import { globalOptions } from './read-command-line.js';

const optionsOf = (options: object = {}) => Object.keys(options).map((name) => `--${name}`);

/** Returns the words that may follow, by the words so far (joined by blanks). */
export function wordsAfter(groups: readonly CommandGroup[]): ReadonlyMap<string, readonly string[]> {
  const after = new Map<string, Set<string>>();
  const offer = (path: readonly string[], words: readonly string[]) => {
    const key = path.join(' ');
    after.set(key, new Set([...(after.get(key) ?? []), ...words]));
  };
  for (const { path, options } of groups.flatMap(({ commands }) => commands)) {
    for (const [at, word] of path.entries()) offer(path.slice(0, at), [word]);
    offer(path, optionsOf(options));
  }
  return new Map([...after].map(([path, words]) => [path, [...words, ...optionsOf(globalOptions)]]));
}

/** Follows the typed words as long as they are known. When there is no proposal, the shell proposes files. */
const SHELL_FUNCTION = `_payment_gateway() {
  local known="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if _payment_gateway_words "$known\${known:+ }$word" > /dev/null; then known="$known\${known:+ }$word"; fi
  done
  COMPREPLY=($(compgen -W "$(_payment_gateway_words "$known")" -- "$2"))
}
complete -o default -F _payment_gateway gateway`;

/** Returns a script for the shell to source. zsh does it as bash does. */
export function renderCompletion(groups: readonly CommandGroup[], shell: string): string {
  const cases = [...wordsAfter(groups)].map(([path, words]) => `    '${path}') echo '${words.join(' ')}' ;;`);
  return [
    ...(shell === 'zsh' ? ['autoload -U +X compinit bashcompinit', 'compinit', 'bashcompinit'] : []),
    '_payment_gateway_words() {',
    '  case "$1" in',
    ...cases,
    '    *) return 1 ;;',
    '  esac',
    '}',
    SHELL_FUNCTION,
  ].join('\n');
}
