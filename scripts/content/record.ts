import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { isSameBalance } from '#shared/content/tuition.ts';
import { compileEdition, withDigest } from './compile.ts';
import type { Report, Written } from './schema.ts';

const RECORD = 'npm run content -- --record';
const NOTE = `# Written by \`${RECORD}\`, and never changed: the terms of this version as people agree to them.\n`;

/** Reports terms that nobody recorded yet or that are no longer what was recorded, and recorded texts that were changed. */
export function checkRecord(written: Written, report: Report): void {
  const { facts, terms } = compileEdition('', written);
  const { version } = terms;
  const kept = written.agreed.find((one) => one.version === version);
  report('terms.version', !kept && `version ${version} is new: once its text is right, run ${RECORD}`);
  const isKept = kept?.digest === terms.digest && isSameBalance(kept, facts);
  const changed = `the text, or a price or date in it, is no longer what people agreed to as version ${version}`;
  const says = `${changed}: put it back, or count the version up and run ${RECORD}`;
  report('terms.version', kept !== undefined && !isKept && says);
  for (const [index, agreed] of written.agreed.entries())
    report(
      `agreed.${index}`,
      withDigest(agreed).digest !== agreed.digest && 'this is not the text that was recorded: put it back',
    );
}

/** Keeps the terms under their version, with their digest, prices and dates, unless there are some. */
export async function recordTerms(path: string, written: Written): Promise<void> {
  const { facts, terms } = compileEdition('', written);
  const { version, digest, policies } = terms;
  if (written.agreed.some((one) => one.version === version)) return;
  const { balanceBeforeFeeCents, cardFeePerMille } = facts.prices;
  const { noticeAt: _notice, reminderAt: _reminder, ...balance } = facts.balance;
  const kept = { version, digest, prices: { balanceBeforeFeeCents, cardFeePerMille }, balance, policies };
  await mkdir(join(path, 'agreed'), { recursive: true });
  await writeFile(join(path, 'agreed', `${version}.yaml`), `${NOTE}${stringify(kept, { lineWidth: 110 })}`);
}
