import { prettyFactory } from 'pino-pretty';
import { type Environment, sampleUsers } from '#scripts/product/environment.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';

const NAME_WIDTH = 8;

const prettify = prettyFactory({
  colorize: process.stdout.isTTY,
  ignore: 'pid,hostname,service',
  translateTime: 'SYS:HH:MM:ss',
  singleLine: true,
});

/**
 * Prints a process's lines for people, with its name before each: JSON logs as readable text, the rest
 * unchanged.
 */
export function linePrinter(name: string): (line: string) => void {
  return (line) => {
    if (line.trim() === '') return;
    const text = line.startsWith('{') ? prettify(line).trimEnd() : line;
    console.log(`${name.padEnd(NAME_WIDTH)}| ${text}`);
  };
}

/** A line of the list of addresses. */
export interface Place {
  label: string;
  address: string;
}

/** Prints the address of everything that runs, and which of it is a stand-in. */
export function announce(
  { PORT, OPS_USERS, REGISTRATION, CLOCK, STRIPE_API_BASE }: Environment,
  opsPort: number,
  standIns: readonly Place[],
): void {
  const areSamples = OPS_USERS !== undefined && !process.env.OPS_USERS;
  const users = areSamples
    ? `sign in as ${sampleUsers.map((name) => `${name}/${name}`).join(' or ')}`
    : 'your users';
  const lines = [
    { label: 'Site', address: `http://127.0.0.1:${PORT}` },
    { label: `Office (${users})`, address: `http://127.0.0.1:${opsPort}/office` },
    ...standIns,
  ];
  const width = Math.max(...lines.map(({ label }) => label.length));
  console.log('');
  for (const { label, address } of lines) console.log(`  ${label.padEnd(width)}  ${address}`);
  if (REGISTRATION === 'open') {
    console.log(
      '\n  Registration is open on any date, so that you can try it out; REGISTRATION=auto follows the dates of the retreat.',
    );
  }
  if (CLOCK === 'sandbox') {
    console.log(
      `\n  The site goes by the clock of the payment sandbox. To move it: curl --data-urlencode to=${facts.balance.chargeAt} ${STRIPE_API_BASE}/sandbox/clock`,
    );
  }
  console.log('\n  Ready. Ctrl-C ends everything.\n');
}
