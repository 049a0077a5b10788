import { readOptions, runDrill, wholeNumber } from '#scripts/drills/drill.ts';

// As in production: React chooses by it while it loads.
process.env.NODE_ENV = 'production';
const { reportOf, runBench } = await import('./run-bench.ts');

const mails = readOptions(
  'npm run bench:mail [-- --mails 2000]',
  { mails: { type: 'string', default: '2000' } },
  (values) => wholeNumber('mails', values.mails, 1, 999_999),
);

await runDrill('bench-mail', async (folder) => {
  console.log(reportOf(await runBench(mails, folder), mails));
  return true;
});
