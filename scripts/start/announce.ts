import type { Settings } from './settings.ts';
import type { Announcement, StandIn } from './stand-ins.ts';

/** Prints where everything is, and what of it is a stand-in. */
export function announce({ ports }: Settings, env: NodeJS.ProcessEnv, standIns: readonly StandIn[]): void {
  const own: Announcement[] = [
    { label: 'Site', address: `http://127.0.0.1:${ports.PORT}` },
    {
      label: `Ops page (${env.OPS_USER}, ${env.OPS_PASSWORD === 'ops' ? 'password ops' : 'your password'})`,
      address: `http://127.0.0.1:${ports.OPS_PORT}`,
    },
  ];
  const lines = [...own, ...standIns.map(({ announcement }) => announcement)];
  const width = Math.max(...lines.map(({ label }) => label.length));
  console.log('');
  for (const { label, address } of lines) console.log(`  ${label.padEnd(width)}  ${address}`);
  if (env.REGISTRATION === 'open') {
    console.log(
      '\n  Registration is open on any date, so that you can try it out; REGISTRATION=auto follows the dates of the retreat.',
    );
  }
  console.log('\n  Ready. Ctrl-C ends everything.\n');
}
