import { PERSONAL } from './attack.ts';
import type { SlowResult } from './slow-clients.ts';
import type { Measurement, Target } from './target.ts';

/** What a few thousand requests may leave: statistics and caches that fill up once, never something for each. */
const HEAP_GROWTH_MB = 8;
/** Freed memory is not given back to the system at once: this swings by 100 MB, whatever the number of requests. */
const RSS_GROWTH_MB = 200;
const FILES_GROWTH = 4;

interface Aftermath {
  target: Target;
  slow: readonly SlowResult[];
  before: Measurement;
  after: Measurement;
}

/** What is wrong with the app after the attacks. */
export async function judgeTarget({ target, slow, before, after }: Aftermath): Promise<string[]> {
  const problems: string[] = [];
  const expect = (well: boolean, problem: string): void => {
    if (!well) problems.push(problem);
  };
  for (const { slowness, count, refused } of slow) {
    expect(refused === count, `${count - refused} of ${count} slow clients (${slowness}) got no 408`);
  }
  const heapGrowth = after.heapMb - before.heapMb;
  const rssGrowth = after.rssMb - before.rssMb;
  expect(heapGrowth <= HEAP_GROWTH_MB, `The heap grew by ${heapGrowth.toFixed(1)} MB`);
  expect(rssGrowth <= RSS_GROWTH_MB, `The memory grew by ${rssGrowth.toFixed(1)} MB`);
  const filesGrowth = (after.files ?? 0) - (before.files ?? 0);
  expect(filesGrowth <= FILES_GROWTH, `${filesGrowth} more files are open`);

  const failures = target.lines.filter((line) => /"level":"fatal"|"msg":"request failed"|^[^{]/.test(line));
  expect(failures.length === 0, `The log tells of ${failures.length} failures: ${failures[0]}`);
  const told = target.lines.filter((line) => line.toLowerCase().includes(PERSONAL));
  expect(told.length === 0, `The log holds personal values, ${told.length} times: ${told[0]}`);
  const page = await fetch(target.siteUrl, { headers: { Connection: 'close' } }).catch(() => undefined);
  expect(page?.status === 200, `The page is not served any more: ${page?.status}`);
  return problems;
}
