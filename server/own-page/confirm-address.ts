import type { IRouter, Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import { renderConfirmDocument } from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { confirmDigest, type OwnPageLinks } from '#server/links/own-page-links.ts';
import type { Assets } from '#server/page/assets.ts';
import type { Payments } from '#server/payments/payments.ts';
import { hasOwnPage } from '#server/record/place-of-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { Forms } from './forms.ts';
import type { SendLinkPage } from './link-pages.ts';
import type { OwnPageLimits } from './own-page-limits.ts';
import { readPress } from './press.ts';

export interface ConfirmDependencies {
  config: Pick<AppConfig, 'office'>;
  assets: Assets;
  links: OwnPageLinks;
  payments: Pick<Payments, 'findRegistration' | 'confirmAddress'>;
  limits: OwnPageLimits;
  /** Asks the worker to do what is due now. */
  askForDueWork: () => Promise<void>;
  forms: Pick<Forms, 'before'>;
  sendLinkPage: SendLinkPage;
  now: () => Date;
}

/** A registration, and the new address that the link confirms. */
interface Asked {
  record: RegistrationRecord;
  address: string;
}

/** The page behind a link that confirms an address. It needs no session: the letter proved the address. */
export interface ConfirmAddress {
  /** Answers with the confirm button if the token is one of such a link; returns whether it is. */
  show(text: string, res: Response): Promise<boolean>;
  addActs(app: IRouter): void;
}

export function createConfirmAddress(dependencies: ConfirmDependencies): ConfirmAddress {
  const { config, assets, links, payments, limits, askForDueWork, forms, sendLinkPage, now } = dependencies;
  const shown = { office: contactOf(config.office), styles: [assets.ownPageStyle] };

  const find = async (text: string): Promise<Asked | 'invalid' | 'unconfirmed' | 'too-many'> => {
    const token = links.readConfirm(text, now());
    if (!token) return 'invalid';
    if (!(await limits.admits('confirmations', token.deposit))) return 'too-many';
    const record = await payments.findRegistration(token.deposit);
    if (!record?.addressAsked || !hasOwnPage(record) || record.linksEpoch !== token.epoch)
      return 'unconfirmed';
    const { addressAsked } = record;
    if (confirmDigest(addressAsked) !== token.confirms) return 'unconfirmed';
    return { record, address: addressAsked.to };
  };

  const confirm: RequestHandler = async (req: Request, res: Response) => {
    const { link } = readPress(confirmSchema, req.body);
    const asked = await find(link);
    if (typeof asked === 'string') return sendLinkPage(res, asked);
    const { record, address } = asked;
    const outcome = await payments.confirmAddress(record, address, now());
    if (outcome !== 'confirmed') return sendLinkPage(res, outcome === 'gone' ? 'unconfirmed' : outcome);
    await askForDueWork();
    const { facts } = record.edition;
    res.type('html').send(renderConfirmDocument({ ...shown, facts, address }));
  };

  return {
    async show(text, res) {
      const asked = await find(text);
      if (asked === 'invalid') return false;
      if (typeof asked === 'string') sendLinkPage(res, asked);
      else {
        const { facts } = asked.record.edition;
        const { address } = asked;
        res.type('html').send(renderConfirmDocument({ ...shown, facts, address, link: text }));
      }
      return true;
    },
    addActs(app) {
      app.post(formPaths.addressConfirmed, ...forms.before, confirm);
    },
  };
}

const confirmSchema = v.object({ link: v.pipe(v.string(), v.maxLength(500)) });
