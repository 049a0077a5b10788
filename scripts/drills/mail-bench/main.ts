import { readOptions, runDrill, wholeNumber } from '#scripts/drills/drill.ts';
import { reportOf, runBench } from './run-bench.ts';

const mails = readOptions(
  'npm run bench:mail [-- --mails 2000]',
  { mails: { type: 'string', default: '2000' } },
  (values) => wholeNumber('mails', values.mails, 1, 999_999),
);

await runDrill('bench-mail', async (folder) => {
  console.log(reportOf(await runBench(mails, folder), mails));
  return true;
});
