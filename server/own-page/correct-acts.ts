import type { IRouter, Request, Response } from 'express';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import type { Payments } from '#server/payments/payments.ts';
import { HERSELF } from '#server/record/acts.ts';
import { isHandedOver } from '#server/record/handed-over.ts';
import { addressWords, handOverWords } from '#shared/content/own-page-details.ts';
import type { OwnPageNews } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { contactSchema, fieldErrors } from '#shared/registration.ts';
import type { Forms } from './forms.ts';
import type { OwnPageDocuments } from './own-page-documents.ts';
import { pressToken, proof, readPress } from './press.ts';
import type { Visit } from './visits.ts';

export interface CorrectActsDependencies {
  payments: Pick<Payments, 'correctDetails' | 'askForAddress' | 'dropAddress'>;
  /** Asks the worker to do what is due now. */
  askForDueWork: () => Promise<void>;
  forms: Forms;
  documents: OwnPageDocuments;
  now: () => Date;
}

/**
 * The presses with which she corrects her name and phone number, or asks for her letters to go to another
 * address.
 */
export function addCorrectActs(app: IRouter, dependencies: CorrectActsDependencies): void {
  const { payments, askForDueWork, forms, documents, now } = dependencies;

  const details = async (req: Request, res: Response): Promise<void> => {
    const at = now();
    const { token, ...typed } = readPress(detailsForm, req.body);
    const visit = await forms.actor(req, res, token);
    if (!visit) return;
    const { record } = visit;
    // An empty field keeps the number, because she sees only a part of it.
    const keepsPhone = typed.phoneNumber.trim() === '';
    const given = v.safeParse(keepsPhone ? nameSchema : detailsSchema, typed);
    const refuted = !given.success
      ? { errors: fieldErrors(keepsPhone ? nameSchema : detailsSchema, typed) }
      : isHandedOver(record, given.output)
        ? { errors: { firstName: handOverWords } }
        : await forms.refuteProof(visit, typed.proof);
    if (!given.success || refuted) {
      forms.sendAgain(
        res,
        documents.details(visit, { at, sent: { errors: {}, ...refuted, typed } }),
        refuted,
      );
      return;
    }
    const corrected = { phoneNumber: record.registrant.phoneNumber, ...given.output };
    const news = await newsOf(payments.correctDetails(record, corrected, HERSELF, at));
    await askForDueWork();
    forms.redirect(res, news);
  };

  const address = async (req: Request, res: Response): Promise<void> => {
    const at = now();
    const { token, ...typed } = readPress(addressForm, req.body);
    const visit = await forms.actor(req, res, token);
    if (!visit) return;
    const given = v.safeParse(addressSchema, typed);
    const isSame = given.success && isHers(visit, given.output.email);
    const refuted = !given.success
      ? { errors: fieldErrors(addressSchema, typed) }
      : isSame
        ? { errors: { email: addressWords.same } }
        : isHandedOver(visit.record, given.output)
          ? { errors: { email: handOverWords } }
          : await forms.refuteProof(visit, typed.proof);
    if (!given.success || refuted) {
      forms.sendAgain(
        res,
        documents.address(visit, { at, sent: { errors: {}, ...refuted, typed } }),
        refuted,
      );
      return;
    }
    await payments.askForAddress(visit.record, given.output.email, at);
    await askForDueWork();
    forms.redirect(res, 'address-asked');
  };

  const drop = async (req: Request, res: Response): Promise<void> => {
    const { token, proof } = readPress(dropForm, req.body);
    const visit = await forms.actor(req, res, token);
    if (!visit) return;
    if (!visit.record.addressAsked) return forms.redirect(res, 'changed');
    const refuted = await forms.refuteProof(visit, proof);
    if (refuted) {
      const html = documents.addressDropped(visit, { at: now(), sent: { ...refuted, typed: { proof } } });
      return forms.sendAgain(res, html, refuted);
    }
    await payments.dropAddress(visit.record);
    forms.redirect(res, 'address-dropped');
  };

  app.post(formPaths.details, ...forms.before, details);
  app.post(formPaths.address, ...forms.before, address);
  app.post(formPaths.addressDropped, ...forms.before, drop);
}

const detailsForm = v.object({
  ...{ token: pressToken, proof },
  ...{ firstName: v.string(), lastName: v.string(), phoneNumber: v.string() },
});
const addressForm = v.object({ token: pressToken, proof, email: v.string() });
const dropForm = v.object({ token: pressToken, proof });

/** The same rules as in the contact step. */
const nameSchema = v.pick(contactSchema, ['firstName', 'lastName']);
const detailsSchema = v.pick(contactSchema, ['firstName', 'lastName', 'phoneNumber']);
const addressSchema = v.pick(contactSchema, ['email']);

function isHers({ record: { registrant } }: Visit, email: string): boolean {
  return registrant.email.toLowerCase() === email.toLowerCase();
}

/**
 * The result of a correction: it does not overwrite another one made meanwhile, and is not written after her
 * data were removed.
 */
async function newsOf(correcting: Promise<object | undefined>): Promise<OwnPageNews> {
  try {
    return (await correcting) ? 'details-corrected' : 'changed';
  } catch (error) {
    if (error instanceof AppError && error.status === 409) return 'changed';
    throw error;
  }
}
