import type { IRouter, Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import { AppError, causeOf } from '#server/http/app-error.ts';
import type { Payments } from '#server/payments/payments.ts';
import { HERSELF } from '#server/record/acts.ts';
import { canUndoCancel } from '#server/record/cancel-plan.ts';
import type { Decision, Withdrawal } from '#server/record/decisions.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { Logger } from '#server/service/logger.ts';
import type { OwnPageRefund } from '#shared/content/own-page-view.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { offerNow } from './cancel-view.ts';
import type { Forms } from './forms.ts';
import type { SendLinkPage } from './link-pages.ts';
import type { OwnPageDocuments } from './own-page-documents.ts';
import { paidCentsOf } from './own-page-view.ts';
import { centsField, pressToken, proof, readPress } from './press.ts';

interface CancelActsDependencies {
  payments: Pick<Payments, 'decide' | 'findRegistration'>;
  /** Asks the worker to do what is due now. */
  askForDueWork: () => Promise<void>;
  forms: Forms;
  documents: OwnPageDocuments;
  sendLinkPage: SendLinkPage;
  logger: Logger;
  now: () => Date;
}

/** The presses with which she cancels, and takes the cancellation back. */
export function addCancelActs(app: IRouter, dependencies: CancelActsDependencies): void {
  const { payments, askForDueWork, forms, documents, sendLinkPage, logger, now } = dependencies;

  const cancel = async (req: Request, res: Response): Promise<void> => {
    // The time of the press counts, however long Stripe takes.
    const at = now();
    const { token, proof, ...shown } = readPress(cancelSchema, req.body);
    const visit = await forms.actor(req, res, token);
    if (!visit) return;
    const { record } = visit;
    if (isCancelled(record)) return forms.redirect(res, canUndoCancel(record, at) ? 'cancelled' : undefined);
    const offer = offerNow(record, at);
    if (!offer) return forms.redirect(res, 'changed');
    if (!isAsShown(shown, offer, record)) return forms.redirect(res, 'changed', formPaths.cancel);
    const refuted = await forms.refuteProof(visit, proof);
    if (refuted) {
      const html = documents.cancel(visit, offer, { at, sent: { ...refuted, typed: { proof } } });
      return forms.sendAgain(res, html, refuted);
    }
    const decision: Decision<'cancel'> = { at, by: HERSELF, writtenAt: at, onPage: true };
    forms.redirect(res, (await decide(record, decision, isCancelled)) ? 'cancelled' : 'changed');
  };

  const undo = async (req: Request, res: Response): Promise<void> => {
    const at = now();
    const { token, proof } = readPress(undoSchema, req.body);
    const visit = await forms.actor(req, res, token);
    if (!visit) return;
    const { record } = visit;
    if (wasTakenBack(record)) return forms.redirect(res, 'kept');
    if (!canUndoCancel(record, at)) return forms.redirect(res, 'changed');
    const refuted = await forms.refuteProof(visit, proof);
    if (refuted) {
      const html = documents.undo(visit, { at, sent: { ...refuted, typed: { proof } } });
      return forms.sendAgain(res, html, refuted);
    }
    const withdrawal: Withdrawal = { at, by: HERSELF, withdrawn: true };
    forms.redirect(res, (await decide(record, withdrawal, wasTakenBack)) ? 'kept' : 'changed');
  };

  /**
   * Writes the decision; returns whether what she wants is on record, by this press or another at the same
   * time.
   */
  const decide = async (
    record: RegistrationRecord,
    decision: Decision<'cancel'> | Withdrawal,
    isOnRecord: (record: RegistrationRecord) => boolean,
  ): Promise<boolean> => {
    try {
      await payments.decide(record, 'cancel', decision);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'decided_meanwhile') {
        const after = await payments.findRegistration(record.id);
        return after !== undefined && isOnRecord(after);
      }
      // The decision is on record; the worker cancels the payment of the balance that is still open.
      if (error.code !== 'decided_not_fitted') throw error;
    }
    await askForDueWork();
    return true;
  };

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

  app.post(formPaths.cancel, ...forms.before, cancelOrSayHow);
  app.post(formPaths.undo, ...forms.before, undo);
}

const cancelSchema = v.object({
  token: pressToken,
  /** What comes back, as the page showed it. */
  cents: centsField,
  /**
   * What she had paid then. It matters if the refund is nothing, both before the balance is charged and once
   * it is too late for refunds.
   */
  paid: centsField,
  proof,
});
const undoSchema = v.object({ token: pressToken, proof });

function isAsShown(
  { cents, paid }: { cents: number; paid: number },
  offer: OwnPageRefund,
  record: RegistrationRecord,
): boolean {
  return cents === offer.cents && paid === paidCentsOf(record);
}

function isCancelled({ decisions, cancelled }: RegistrationRecord): boolean {
  return decisions.cancel !== undefined || cancelled !== undefined;
}

function wasTakenBack(record: RegistrationRecord): boolean {
  const { withdrawn } = record.decisions;
  return !isCancelled(record) && withdrawn.some(({ kind }) => kind === 'cancel');
}
