/**
 * Runs the product on the office's day until Ctrl-C, for somebody to look at it by hand:
 * `node --import tsx server/testing/office-world/at-hand.ts`. At the end it removes everything that it created.
 */
import { once } from 'node:events';
import { sampleUsers } from '#scripts/product/environment.ts';
import { inScope } from '#server/testing/clean-up.ts';
import { openOffice } from './office-world.ts';

await inScope(async (scope) => {
  const { people, siteUrl, opsUrl, sandbox, mailServer } = await openOffice(scope);
  const lives = [...new Set(people.map(({ life }) => life))].map((life) => {
    const some = people.filter((person) => person.life === life);
    return `  ${life}: ${some.length}, such as ${some[0]?.name}, ${some[0]?.id}`;
  });
  process.stdout.write(
    [
      `Office ${opsUrl}/office (sign in as ${sampleUsers.map((name) => `${name}/${name}`).join(' or ')})`,
      `Site ${siteUrl}`,
      `Payment sandbox ${sandbox.url}`,
      'Who lives which life:',
      ...lives,
      `${mailServer.parsed.length} messages were sent. Ctrl-C ends it.\n`,
    ].join('\n'),
  );
  await once(process, 'SIGINT');
});
