import type { IRouter, RequestHandler } from 'express';
import * as v from 'valibot';
import { decide as writeDecision } from '#server/acts/decide.ts';
import { askForAddress, correctDetails, dropAddress } from '#server/acts/her-details.ts';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { type DecisionKind, HERSELF } from '#server/registration/act-kinds.ts';
import { canUndoCancel } from '#server/registration/cancelling.ts';
import type { Decision, Withdrawal } from '#server/registration/decisions.ts';
import { isHandedOver } from '#server/registration/hand-over.ts';
import { exportOf } from '#server/registration/her-data.ts';
import { sumOfCents } from '#server/registration/ledger.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { statement } from '#server/registration/statement.ts';
import { summary } from '#server/registration/summary.ts';
import {
  addressWords,
  dataWords,
  handOverWords,
  type OwnPageNews,
} from '#shared/content/own-page-form-words.ts';
import { sumOfPlan } from '#shared/content/own-page-plan.ts';
import { isPayment } from '#shared/content/statement.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { contactSchema, fieldErrors } from '#shared/registration.ts';
import { typedText } from '#shared/typed-text.ts';
import { centsField, type OwnPageContext, pressToken, proof } from './own-page-context.ts';

/**
 * The presses that need her proof: she cancels, or takes that back; agrees to her payment plan; agrees to hand her place
 * over, or keeps it; corrects her details; takes all that is kept about her; asks for her letters to go to another address, or drops
 * that.
 */
export function addProvenActs(app: IRouter, context: OwnPageContext): void {
  const { payments, askForDueWork, forms, sendLinkPage, logger } = context;

  /**
   * Writes a decision.
   * @param isOnRecord whether what she wants is on record, if somebody else decided at the same time
   */
  const decide = async <Kind extends DecisionKind, Told extends OwnPageNews>(
    record: RegistrationRecord,
    kind: Kind,
    decision: Decision<Kind> | Withdrawal,
    told: Told,
    isOnRecord: (record: RegistrationRecord) => boolean = () => false,
  ): Promise<Told | 'changed'> => {
    try {
      await payments.ask(writeDecision, record, kind, decision);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'decided_meanwhile') {
        const after = await findRegistration(payments, record.id);
        return after && isOnRecord(after) ? told : 'changed';
      }
      // The decision is on record; the worker cancels the payment of the balance that is still open.
      if (error.code !== 'decided_not_fitted') throw error;
    }
    await askForDueWork();
    return told;
  };

  const cancel = forms.submit('cancel', cancelSchema, async ({ record, typed, at, prove }) => {
    if (isCancelled(record)) return canUndoCancel(record, at) ? 'cancelled' : undefined;
    const { offer } = summary(record, at);
    if (!offer) return 'changed';
    const paid = sumOfCents(statement(record).filter(isPayment));
    const isAsShown = typed.cents === `${offer.cents}` && typed.paid === `${paid}`;
    if (!isAsShown) return 'form-changed';
    const decision = { at, by: HERSELF, writtenAt: at, onPage: true } as const;
    return (await prove(typed.proof)) ?? decide(record, 'cancel', decision, 'cancelled', isCancelled);
  });

  /**
   * It may be the last hour in which she can cancel: if it fails here, she is told at once that writing to
   * the office counts as well.
   */
  const cancelOrSayHow: RequestHandler = (req, res) =>
    cancel(req, res).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.status < 500) throw error;
      logger.error({ err: causeOf(error) }, 'It is not known whether a cancellation was recorded');
      sendLinkPage(res, 'not-recorded');
    });

  const undo = forms.submit('undo', proofSchema, async ({ record, typed, at, prove }) => {
    if (wasTakenBack(record)) return 'kept';
    if (!canUndoCancel(record, at)) return 'changed';
    const withdrawal = { at, by: HERSELF, withdrawn: true } as const;
    return (await prove(typed.proof)) ?? decide(record, 'cancel', withdrawal, 'kept', wasTakenBack);
  });

  const plan = forms.submit('plan', planSchema, async ({ record, typed, at, prove }) => {
    const shown = summary(record, at).plan;
    if (!shown) return 'changed';
    if (shown.agreedOn) return 'plan-agreed';
    // What is asked for may have changed without the plan: a check came, or was taken back.
    const isAsShown =
      shown.decidedAt.toISOString() === typed.decided && `${sumOfPlan(shown)}` === typed.cents;
    if (!isAsShown || shown.isPaused) return 'form-changed';
    const refuted = await prove(typed.proof);
    if (refuted) return refuted;
    const agreed = { at, by: HERSELF };
    const told = await decide(
      record,
      'planAgreed',
      agreed,
      'plan-agreed',
      (after) => summary(after, at).plan?.agreedOn !== undefined,
    );
    return told === 'changed' ? 'form-changed' : told;
  });

  const handOver = forms.submit('handOver', handOverSchema, async ({ record, typed, at, prove }) => {
    const shown = summary(record, at).handOver;
    if (!shown || shown.decidedAt.toISOString() !== typed.decided) return 'changed';
    if (typed.act === 'keep')
      return decide(record, 'handOver', { at, by: HERSELF, withdrawn: true }, 'hand-over-ended');
    if (shown.isAgreed) return 'hand-over-agreed';
    const agreed = { at, by: HERSELF, of: shown.decidedAt };
    return (await prove(typed.proof)) ?? decide(record, 'handOverAgreed', agreed, 'hand-over-agreed');
  });

  const details = forms.submit('details', detailsSchema, async ({ record, typed, at, prove }) => {
    // An empty field keeps the number, because she sees only a part of it.
    const rules = typedText(typed.phoneNumber) === '' ? nameRules : detailsRules;
    const given = v.safeParse(rules, typed);
    if (!given.success) return { errors: fieldErrors(rules, typed) };
    if (isHandedOver(record, given.output)) return { errors: { firstName: handOverWords } };
    const refuted = await prove(typed.proof);
    if (refuted) return refuted;
    const corrected = { phoneNumber: record.registrant.phoneNumber, ...given.output };
    const news = await newsOf(payments.ask(correctDetails, record, corrected, HERSELF, at));
    await askForDueWork();
    return news;
  });

  const address = forms.submit('address', addressSchema, async ({ record, typed, at, prove }) => {
    const given = v.safeParse(addressRules, typed);
    if (!given.success) return { errors: fieldErrors(addressRules, typed) };
    const { email } = given.output;
    if (email.toLowerCase() === record.registrant.email.toLowerCase())
      return { errors: { email: addressWords.same } };
    if (isHandedOver(record, given.output)) return { errors: { email: handOverWords } };
    const refuted = await prove(typed.proof);
    if (refuted) return refuted;
    await askForAddress(payments, record, email, at);
    await askForDueWork();
    return 'address-asked';
  });

  const drop = forms.submit('addressDropped', proofSchema, async ({ record, typed, prove }) => {
    if (!record.addressAsked) return 'changed';
    const refuted = await prove(typed.proof);
    if (refuted) return refuted;
    await dropAddress(payments, record);
    return 'address-dropped';
  });

  const data = forms.submit('data', proofSchema, async ({ record, typed, at, prove }) => {
    const refuted = await prove(typed.proof);
    if (refuted) return refuted;
    const kept = await exportOf(payments, record.id, at);
    return kept
      ? { fileName: `${dataWords.fileName}.json`, content: `${JSON.stringify(kept, null, 2)}\n` }
      : 'changed';
  });

  app.post(formPaths.cancel, ...forms.before, cancelOrSayHow);
  app.post(formPaths.undo, ...forms.before, undo);
  app.post(formPaths.plan, ...forms.before, plan);
  app.post(formPaths.handOver, ...forms.before, handOver);
  app.post(formPaths.details, ...forms.before, details);
  app.post(formPaths.address, ...forms.before, address);
  app.post(formPaths.data, ...forms.before, data);
  app.post(formPaths.addressDropped, ...forms.before, drop);
}

const proofSchema = v.object({ token: pressToken, proof });
const cancelSchema = v.object({
  ...proofSchema.entries,
  /** What comes back, as the page showed it. */
  cents: centsField,
  /**
   * What she had paid then. It matters if the refund is nothing, both before the balance is charged and once
   * it is too late for refunds.
   */
  paid: centsField,
});
/** When the plan was decided that the page showed, and the sum of its parts there. */
const planSchema = v.object({ ...proofSchema.entries, decided: v.string(), cents: centsField });
const handOverSchema = v.object({
  token: pressToken,
  act: v.picklist(['agree', 'keep']),
  decided: v.string(),
  proof: v.optional(proof, ''),
});
const detailsSchema = v.object({
  ...proofSchema.entries,
  firstName: v.string(),
  lastName: v.string(),
  phoneNumber: v.string(),
});
const addressSchema = v.object({ ...proofSchema.entries, email: v.string() });

/** The same rules as in the contact step. */
const nameRules = v.pick(contactSchema, ['firstName', 'lastName']);
const detailsRules = v.pick(contactSchema, ['firstName', 'lastName', 'phoneNumber']);
const addressRules = v.pick(contactSchema, ['email']);

function isCancelled({ decisions, cancelled }: RegistrationRecord): boolean {
  return decisions.cancel !== undefined || cancelled !== undefined;
}

function wasTakenBack(record: RegistrationRecord): boolean {
  const { withdrawn } = record.decisions;
  return !isCancelled(record) && withdrawn.some(({ kind }) => kind === 'cancel');
}

/**
 * The result of a correction: it does not overwrite another one made meanwhile, and is not written after her
 * data were removed.
 */
async function newsOf(correcting: Promise<boolean>): Promise<OwnPageNews> {
  try {
    return (await correcting) ? 'details-corrected' : 'changed';
  } catch (error) {
    if (error instanceof AppError && error.status === 409) return 'changed';
    throw error;
  }
}
