import { type ActContext, findRegistrationOf } from '#server/acts/act-context.ts';
import { jobsOfPayment } from '#server/acts/mail-jobs.ts';
import { moment } from '#server/acts/plain-words.ts';
import { printable } from '#server/acts/printable.ts';
import { Refusal } from '#server/acts/refusal.ts';
import { registrationFacts } from '#server/acts/registration-facts.ts';
import { timelineOf } from '#server/acts/timeline.ts';
import { undoUntil, workedOffFrom } from '#server/record/cancel-plan.ts';
import { herDataText } from '#server/record/her-data.ts';
import { balanceOfRecord } from '#server/record/owed.ts';
import { isAboutHealth } from '#server/record/questions.ts';
import { chargeMomentOf, owedByCheck, stateOf } from '#server/record/registration-state.ts';
import { printableJson, table } from './printable.ts';

/** Everything about one registration, from Stripe and the queue: its facts, its state, and what happened. */
export async function showRegistration(
  context: ActContext,
  paymentIntentId: string,
  { json }: { json: boolean },
): Promise<string> {
  const record = await findRegistrationOf(context, paymentIntentId);
  const now = await context.now();
  const state = stateOf(record, now);
  const letters = await jobsOfPayment(context, record.id);
  const timeline = timelineOf(record, letters);
  if (json) {
    const { edition, answers: all, ...rest } = record;
    const answers = all.map(({ answer, ...one }) => (isAboutHealth(one, edition) ? one : { ...one, answer }));
    const balance = { ...balanceOfRecord(record), dueAt: chargeMomentOf(record) };
    const cancelling = { undoUntil: undoUntil(record), workedOffFrom: workedOffFrom(record) };
    const owedByCheckCents = owedByCheck(record);
    return printableJson({
      ...rest,
      edition: edition.facts.id,
      state,
      balance,
      answers,
      ...(record.decisions.cancel && { cancelling }),
      owedByCheckCents,
      timeline,
    });
  }
  const happened = timeline.map(({ at, what }) => [moment(at, record), what]);
  const answered = record.answers.map((one) => [
    one.asked,
    isAboutHealth(one, record.edition) ? 'answered; the office’s page shows it' : one.answer,
  ]);
  const answers = answered.length > 0 ? `\n\nWhat she answered\n${table(answered)}` : '';
  return `${table(registrationFacts(record, now))}${answers}\n\nWhat happened\n${table(happened)}`;
}

/** All that is kept about a registrant, from the register alone. */
export async function exportRegistration(
  context: ActContext,
  paymentIntentId: string,
  { json }: { json: boolean },
): Promise<string> {
  const register = await context.openRecord();
  const data = await register.exportOf(paymentIntentId, await context.now());
  if (!data) throw new Refusal('noSuchMail', `There is no registration ${paymentIntentId}.`);
  return json ? printableJson(data) : herDataText(data).split('\n').map(printable).join('\n');
}
