import { readFileSync } from 'node:fs';

const lines = readFileSync(new URL('../fixtures/callback-targets.txt', import.meta.url), 'utf8').split('\n');
const marked = (mark: string) => lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2));

/** URLs that production must refuse, and URLs that it must accept. */
export const refusedTargets = marked('-');
export const acceptedTargets = marked('+');
