#!/usr/bin/env node
// `npm run audit`: fails when a package that runs in production is known to be vulnerable (high or critical). A machine that cannot
// reach the registry is reported and does not fail.
import { lastOutputLines, runCommand } from './setup/run-command.mjs';

const args = ['audit', '--json', '--omit=dev', '--audit-level=high'];
const result = await runCommand('npm', args, { timeoutMs: 120_000 });
/** @type {{ message?: string, metadata?: { vulnerabilities?: Record<string, number> }, vulnerabilities?: Record<string, { severity: string }> }} */
let report = {};
try {
  report = JSON.parse(result.stdout);
} catch {
  // Output that is not JSON means that the registry did not answer.
}
if (report.metadata?.vulnerabilities === undefined) {
  console.log(`The registry could not be asked, so nothing is known: ${report.message ?? lastOutputLines(result)}`);
} else {
  const { high = 0, critical = 0 } = report.metadata.vulnerabilities;
  for (const [name, { severity }] of Object.entries(report.vulnerabilities ?? {})) console.log(`${severity}: ${name}`);
  console.log(`${critical} critical, ${high} high among the packages that run.`);
  process.exitCode = high + critical > 0 ? 1 : 0;
}
