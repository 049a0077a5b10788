import { checkMails, type MailCount } from './check-mails.ts';
import { checkAccount, unrecorded } from './check-stripe.ts';
import type { Happened } from './happen.ts';
import { lostLocksIn } from './may-repeat.ts';
import { nameOf, namesOf, owedBy } from './owed.ts';
import type { Stage } from './stage.ts';
import { VISITOR_MARKS, type Visit } from './visitors.ts';

/** Whether every mail has arrived and is recorded. */
export async function isSettled(stage: Stage, visits: readonly Visit[]): Promise<boolean> {
  const names = namesOf(stage.sink.mails);
  const owed = owedBy(visits, names);
  if (owed.some((mail) => !names.has(nameOf(mail)))) return false;
  return (await unrecorded(stage.stripe, owed)).length === 0;
}

/** Counts the mails, and says what is wrong. */
export async function judge(
  stage: Stage,
  visits: readonly Visit[],
  faults: readonly Happened[],
): Promise<{ mails: MailCount; lostLocks: number; problems: string[] }> {
  const owed = owedBy(visits, namesOf(stage.sink.mails));
  const lostLocks = lostLocksIn(stage.lines);
  const mails = checkMails(owed, stage.sink.mails, { faults, lostLocks });
  const problems = [
    ...stage.crashes,
    ...leaks(stage.lines),
    ...(await checkAccount(stage.stripe, visits)),
    ...mails.problems,
    ...(await unrecorded(stage.stripe, owed)),
  ];
  return { mails, lostLocks: lostLocks.size, problems };
}

function leaks(lines: readonly string[]): string[] {
  const leaking = lines.filter((line) => VISITOR_MARKS.test(line));
  return leaking.length === 0 ? [] : [`${leaking.length} log lines tell of visitors, such as ${leaking[0]}`];
}
