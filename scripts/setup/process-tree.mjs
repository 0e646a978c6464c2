/** Ends the processes that another process left running: its process group, and all that carry its mark in their environment. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isRunning } from './process-identity.mjs';

const POLL_MS = 20;

/** Kills a process that was started `detached`, with its whole group, at once. @param {number | undefined} pid */
export function killGroup(pid) {
  try {
    // The group exists as long as any of its processes runs, even after its leader has ended.
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}

/**
 * Finds the processes that were started with this variable in their environment, whatever group they are in now: browsers and
 * servers make groups of their own. Finds none on a system without /proc.
 * @param {string} variable
 * @param {string} value
 */
function markedProcesses(variable, value) {
  const mark = `\0${variable}=${value}\0`;
  return processIds().flatMap((pid) => {
    if (pid === process.pid || !`\0${environmentOf(pid)}`.includes(mark)) return [];
    const known = { pid, identity: identityOf(pid) };
    return isRunning(known) ? [known] : [];
  });
}

function processIds() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** @param {number} pid */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Ends every process that carries the mark, including those that one of them starts meanwhile.
 * @param {string} variable
 * @param {string} value
 */
export async function endMarkedProcesses(variable, value) {
  for (let left = markedProcesses(variable, value); left.length > 0; left = markedProcesses(variable, value)) {
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process ended by itself in between.
      }
    }
    await sleep(POLL_MS);
  }
}
