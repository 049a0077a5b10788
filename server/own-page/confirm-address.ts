import type { IRouter, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import { renderConfirmDocument } from '#client/entry.server.tsx';
import { confirmDigest } from '#server/links/links.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { hasOwnPage } from '#server/record/registration-state.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { OwnPageContext } from './own-page-context.ts';
import { readPress } from './press.ts';

/** A registration, and the new address that the link confirms. */
interface Asked {
  record: RegistrationRecord;
  address: string;
}

export type ConfirmAddress = ReturnType<typeof createConfirmAddress>;

/** The page behind a link that confirms an address. It needs no session: the letter proved the address. */
export function createConfirmAddress(context: OwnPageContext) {
  const { links, payments, limits, askForDueWork, shown, forms, sendLinkPage, now } = context;
  const send = (res: Response, { record, address }: Asked, link?: string): void => {
    const { facts } = record.edition;
    res.type('html').send(renderConfirmDocument({ ...shown, facts, address, link }));
  };

  const find = async (text: string): Promise<Asked | 'invalid' | 'unconfirmed' | 'too-many'> => {
    const token = links.readConfirm(text, now());
    if (!token) return 'invalid';
    if (!(await limits.admits('confirmations', token.deposit))) return 'too-many';
    const record = await payments.findRegistration(token.deposit);
    if (!record?.addressAsked || !hasOwnPage(record) || record.linksEpoch !== token.epoch)
      return 'unconfirmed';
    const { addressAsked } = record;
    if (confirmDigest(addressAsked) !== token.digest) return 'unconfirmed';
    return { record, address: addressAsked.to };
  };

  const confirm: RequestHandler = async (req, res) => {
    const { link } = readPress(confirmSchema, req.body);
    const asked = await find(link);
    if (typeof asked === 'string') return sendLinkPage(res, asked);
    const { record, address } = asked;
    const outcome = await payments.confirmAddress(record, address, now());
    if (outcome !== 'confirmed') return sendLinkPage(res, outcome === 'gone' ? 'unconfirmed' : outcome);
    await askForDueWork();
    send(res, asked);
  };

  return {
    /** Answers with the confirm button if the token is one of such a link; returns whether it is. */
    async show(text: string, res: Response): Promise<boolean> {
      const asked = await find(text);
      if (asked === 'invalid') return false;
      if (typeof asked === 'string') sendLinkPage(res, asked);
      else send(res, asked, text);
      return true;
    },
    addActs(app: IRouter): void {
      app.post(formPaths.addressConfirmed, ...forms.before, confirm);
    },
  };
}

const confirmSchema = v.object({ link: v.pipe(v.string(), v.maxLength(500)) });
