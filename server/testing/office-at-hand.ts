/**
 * Runs the product on the office's day, to be looked at by hand, until Ctrl-C:
 * `node --import tsx server/testing/office-at-hand.ts`. It ends with all that it made.
 */
import { once } from 'node:events';
import { openOffice } from './open-office.ts';

const { people, siteUrl, opsUrl, sandbox, mailServer, env, close } = await openOffice();
const lives = [...new Set(people.map(({ life }) => life))].map((life) => {
  const some = people.filter((person) => person.life === life);
  return `  ${life}: ${some.length}, such as ${some[0]?.name}, ${some[0]?.id}`;
});
process.stdout.write(
  [
    `Office ${opsUrl} (user ${env.OPS_USER}, password ${env.OPS_PASSWORD})`,
    `Site ${siteUrl}`,
    `Payment sandbox ${sandbox.url}`,
    ...[
      'Who lives which life:',
      ...lives,
      `${mailServer.mails.length} letters were sent. Ctrl-C ends it.`,
      '',
    ],
  ].join('\n'),
);
await once(process, 'SIGINT');
await close();
