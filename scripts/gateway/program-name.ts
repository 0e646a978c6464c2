/**
 * How the command is called: by its path in the checkout. The npm registry has an unrelated package `gateway`, which
 * `npx` would fetch and run when ours is not installed.
 */
export const PROGRAM = './gateway';
