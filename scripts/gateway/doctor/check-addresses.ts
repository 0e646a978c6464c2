/** Checks addresses: where payers reach the gateway, how callbacks leave it, and where it is monitored. */
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { limits } from '../../../config/limits.js';
import { type Check, daysBetween, isProduction, reasonOf } from './examined.js';
import { findingsOf } from './finding.js';

const origin = findingsOf('public address', 'docs/going-live.md#public-address');
const egress = findingsOf('callbacks', 'docs/operations.md#processes');
const watching = findingsOf('metrics', 'docs/operations.md#metrics');

/** Returns the host as a connection takes it: in URLs IPv6 addresses have brackets. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

/** Reads when a server's certificate expires. The certificate has to be trusted by the authorities of this machine. */
function certificateEnd(host: string, port: number): Promise<Date> {
  return new Promise((resolve, reject) => {
    // TLS allows no IP address as the name of a server (RFC 6066).
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connectTls({ host, port, ...name, timeout: limits.doctorConnectMs }, () => {
      resolve(new Date(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.on('timeout', () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
  });
}

const HTTPS_PORT = 443;

export const checkPublicAddress: Check = async (examined) => {
  const { publicBaseUrl } = examined.config;
  if (publicBaseUrl === undefined) return [];
  const url = new URL(publicBaseUrl);
  const { protocol, port } = url;
  if (protocol !== 'https:') {
    const found = `${publicBaseUrl} is without TLS`;
    return [isProduction(examined) ? origin.wrong(found, 'PUBLIC_BASE_URL has to be https.') : origin.notice(found)];
  }
  const todo = `See to it that payers reach it, from outside: curl ${publicBaseUrl}/healthz`;
  try {
    const end = await certificateEnd(hostOf(url), Number(port || HTTPS_PORT));
    const answer = await fetch(`${publicBaseUrl}/healthz`, { signal: AbortSignal.timeout(limits.doctorConnectMs) });
    if (!answer.ok) return [origin.wrong(`${publicBaseUrl}/healthz answers ${answer.status}`, todo)];
    const days = daysBetween(examined.clock.now(), end);
    const found = `${publicBaseUrl} answers; its certificate ends in ${days} days`;
    return [days < limits.doctorCertificateDays ? origin.notice(found, 'Renew it.') : origin.ok(found)];
  } catch (error) {
    const reason = reasonOf((error as { cause?: unknown }).cause ?? error);
    // A server often cannot reach its own public address.
    return [origin.notice(`${publicBaseUrl} was not reached from this machine: ${reason}`, todo)];
  }
};

function connects(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host, port, timeout: limits.doctorConnectMs }, () => {
      socket.destroy();
      resolve();
    });
    socket.on('timeout', () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
  });
}

export const checkCallbacks: Check = async (examined) => {
  const { callbackProxyUrl, callbackAllowPrivateNetworks } = examined.config;
  if (!examined.processes.includes('callback'))
    return [egress.notice('not looked at: the pool callback has the settings')];
  const open = callbackAllowPrivateNetworks
    ? [egress[isProduction(examined) ? 'wrong' : 'notice']('private addresses are allowed', 'Right for tests only.')]
    : [];
  if (callbackProxyUrl === undefined) {
    const todo =
      'Allow the pool callback to reach 443 and ports from 1024 on at any public address, and nothing inside.';
    return [
      ...open,
      egress.ok('leave directly, by https to public addresses'),
      egress.notice('firewall not known here', todo),
    ];
  }
  const url = new URL(callbackProxyUrl);
  const { hostname, port, protocol } = url;
  const number = Number(port || (protocol === 'https:' ? HTTPS_PORT : 80));
  try {
    await connects(hostOf(url), number);
    return [...open, egress.ok(`leave by the proxy ${hostname}:${number}, which takes connections`)];
  } catch (error) {
    const found = `the proxy ${hostname}:${number} was not reached: ${reasonOf(error)}`;
    return [...open, egress.wrong(found, 'Correct CALLBACK_PROXY_URL, or start it.')];
  }
};

export const checkMetrics: Check = ({ config, processes }) => {
  const { operatorHost, operatorPort, workerOperatorPort } = config;
  const found = processes.includes('web')
    ? [watching.ok(`operator port of the API: ${operatorHost}:${operatorPort}`)]
    : [];
  if (workerOperatorPort === 0) {
    found.push(watching.notice('workers show none', 'Set WORKER_OPERATOR_PORT, and scrape every process.'));
  } else if (workerOperatorPort !== undefined) {
    found.push(watching.ok(`operator ports of workers: ${operatorHost}, from ${workerOperatorPort} on`));
  }
  return found;
};
