import type { ErrorRequestHandler, IRouter } from 'express';
import * as v from 'valibot';
import {
  canUndoCancel,
  type Decision,
  type DecisionKind,
  exportOf,
  HERSELF,
  isHandedOver,
  type RegistrationRecord,
  statement,
  summary,
  sumOfCents,
  takerStop,
  type Withdrawal,
} from '#server/registration/registration.ts';
import { recordActs, decide as writeDecision } from '#server/stripe/decide.ts';
import { askForAddress, correctDetails, dropAddress } from '#server/stripe/her-details.ts';
import { AppError, causeOf } from '#server/web/app-error.ts';
import {
  addressWords,
  dataWords,
  handOverWords,
  nameHolderWords,
  type OwnPageNews,
} from '#shared/content/own-page-form-words.ts';
import { sumOfPlan } from '#shared/content/own-page-plan.ts';
import { isPayment } from '#shared/content/tuition.ts';
import { contactSchema, fieldErrors } from '#shared/registration.ts';
import { typedText } from '#shared/typed-text.ts';
import type { OwnPageContext } from './own-page-context.ts';
import { centsField, pressToken, proof, proofSchema } from './press-input.ts';

/** The presses that need her proof, which is asked once nothing else speaks against them. */
export function addProvenActs(app: IRouter, context: OwnPageContext): void {
  addDecisions(app, context);
  addCorrections(app, context);
}

function addDecisions(
  app: IRouter,
  { payments, askForDueWork, forms, sendLinkPage, logger }: OwnPageContext,
): void {
  const decide = async <Kind extends DecisionKind>(
    record: RegistrationRecord,
    kind: Kind,
    decision: Decision<Kind> | Withdrawal,
    told: OwnPageNews,
  ): Promise<OwnPageNews> => {
    try {
      await payments.ask(writeDecision, record, kind, decision);
    } catch (error) {
      // The decision is on record; the worker cancels the payment of the balance that is still open.
      if (!(error instanceof AppError) || error.code !== 'decided_not_fitted') throw error;
    }
    await askForDueWork();
    return told;
  };

  /** It may be the last hour in which she can cancel: she is told at once that writing to the office counts as well. */
  const sayHowElse: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    if (!(error instanceof AppError) || error.status < 500) return next(error);
    logger.error({ err: causeOf(error) }, 'It is not known whether a cancellation was recorded');
    sendLinkPage(res, 'not-recorded');
  };
  forms.submit(
    app,
    'cancel',
    cancelSchema,
    ({ record, typed, at }) => {
      if (isCancelled(record)) return canUndoCancel(record, at) ? 'cancelled' : undefined;
      const { offer } = summary(record, at);
      if (!offer) return 'changed';
      const paid = sumOfCents(statement(record).filter(isPayment));
      if (typed.cents !== `${offer.cents}` || typed.paid !== `${paid}`) return 'form-changed';
      const decision = { at, by: HERSELF, writtenAt: at, onPage: true } as const;
      return () => decide(record, 'cancel', decision, 'cancelled');
    },
    sayHowElse,
  );
  forms.submit(app, 'undo', proofSchema, ({ record, at }) => {
    if (wasTakenBack(record)) return 'kept';
    if (!canUndoCancel(record, at)) return 'changed';
    const withdrawal = { at, by: HERSELF, withdrawn: true } as const;
    return () => decide(record, 'cancel', withdrawal, 'kept');
  });

  forms.submit(app, 'plan', planSchema, ({ record, typed, at }) => {
    const shown = summary(record, at).plan;
    if (!shown) return 'changed';
    if (shown.agreedOn) return 'plan-agreed';
    // What is asked for may have changed without the plan: a check came, or was taken back.
    const isAsShown =
      shown.decidedAt.toISOString() === typed.decided && `${sumOfPlan(shown)}` === typed.cents;
    if (!isAsShown || shown.isPaused) return 'form-changed';
    return () => decide(record, 'planAgreed', { at, by: HERSELF }, 'plan-agreed');
  });

  forms.submit(app, 'handOver', handOverSchema, async ({ record, typed, at }) => {
    const { handOver: shown, canHandOverUntil } = summary(record, at);
    if (typed.act === 'name') {
      if (shown) return shown.isAgreed ? 'hand-over-agreed' : 'form-changed';
      if (!canHandOverUntil) return 'changed';
      const to = v.safeParse(takerRules, typed);
      if (!to.success) return { errors: fieldErrors(takerRules, typed) };
      const stop = await takerStop(payments, record, to.output);
      if (stop)
        return {
          errors: { email: stop === 'has-place' ? nameHolderWords.hasPlace : nameHolderWords.sameAddress },
        };
      return async () => {
        const by = HERSELF;
        await payments.ask(recordActs, record, [
          { kind: 'handOver', at, by, facts: to.output },
          { kind: 'handOverAgreed', at, by, facts: { of: at } },
        ]);
        await askForDueWork();
        return 'hand-over-agreed';
      };
    }
    if (!shown || shown.decidedAt.toISOString() !== typed.decided) return 'changed';
    if (typed.act === 'keep')
      return decide(record, 'handOver', { at, by: HERSELF, withdrawn: true }, 'hand-over-ended');
    if (shown.isAgreed) return 'hand-over-agreed';
    const agreed = { at, by: HERSELF, of: shown.decidedAt };
    return () => decide(record, 'handOverAgreed', agreed, 'hand-over-agreed');
  });
}

function addCorrections(app: IRouter, { payments, askForDueWork, forms }: OwnPageContext): void {
  forms.submit(app, 'details', detailsSchema, ({ record, typed, at }) => {
    // An empty field keeps the number, because she sees only a part of it.
    const rules = typedText(typed.phoneNumber) === '' ? nameRules : detailsRules;
    const given = v.safeParse(rules, typed);
    if (!given.success) return { errors: fieldErrors(rules, typed) };
    if (isHandedOver(record, given.output)) return { errors: { firstName: handOverWords } };
    const corrected = { phoneNumber: record.registrant.phoneNumber, ...given.output };
    return async () => {
      const isStored = await payments.ask(correctDetails, record, corrected, HERSELF, at);
      await askForDueWork();
      return isStored ? 'details-corrected' : 'changed';
    };
  });

  forms.submit(app, 'address', addressSchema, ({ record, typed, at }) => {
    const given = v.safeParse(addressRules, typed);
    if (!given.success) return { errors: fieldErrors(addressRules, typed) };
    const { email } = given.output;
    if (email.toLowerCase() === record.registrant.email.toLowerCase())
      return { errors: { email: addressWords.same } };
    if (isHandedOver(record, given.output)) return { errors: { email: handOverWords } };
    return async () => {
      await askForAddress(payments, record, email, at);
      await askForDueWork();
      return 'address-asked';
    };
  });

  forms.submit(app, 'addressDropped', proofSchema, ({ record }) => {
    if (!record.addressAsked) return 'changed';
    return async () => {
      await dropAddress(payments, record);
      return 'address-dropped';
    };
  });

  forms.submit(app, 'data', proofSchema, ({ record, at }) => async () => {
    const kept = await exportOf(payments, record.id, at);
    if (!kept) return 'changed';
    return { fileName: `${dataWords.fileName}.json`, content: `${JSON.stringify(kept, null, 2)}\n` };
  });
}

/** What comes back, and what she had paid, as the page showed it: of two refunds of nothing she may lose more. */
const cancelSchema = v.object({ ...proofSchema.entries, cents: centsField, paid: centsField });
const planSchema = v.object({ ...proofSchema.entries, decided: v.string(), cents: centsField });
const text = v.optional(v.string(), '');
const handOverSchema = v.object({
  token: pressToken,
  act: v.picklist(['name', 'agree', 'keep']),
  decided: text,
  firstName: text,
  lastName: text,
  email: text,
  phoneNumber: text,
  proof: v.optional(proof, ''),
});
const detailsSchema = v.object({
  ...proofSchema.entries,
  firstName: v.string(),
  lastName: v.string(),
  phoneNumber: v.string(),
});
const addressSchema = v.object({ ...proofSchema.entries, email: v.string() });

const nameRules = v.pick(contactSchema, ['firstName', 'lastName']);
const detailsRules = v.pick(contactSchema, ['firstName', 'lastName', 'phoneNumber']);
const addressRules = v.pick(contactSchema, ['email']);
const takerRules = v.pick(contactSchema, ['firstName', 'lastName', 'email', 'phoneNumber']);

function isCancelled({ decisions, cancelled }: RegistrationRecord): boolean {
  return decisions.cancel !== undefined || cancelled !== undefined;
}

function wasTakenBack(record: RegistrationRecord): boolean {
  const { withdrawn } = record.decisions;
  return !isCancelled(record) && withdrawn.some(({ kind }) => kind === 'cancel');
}
