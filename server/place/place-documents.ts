import {
  renderAddressDocument,
  renderCancelDocument,
  renderDetailsDocument,
  renderPlaceDocument,
  renderReceiptsDocument,
} from '#client/entry.server.tsx';
import type { Config } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import type { PlaceLinks } from '#server/links/place-links.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Assets } from '#server/page/assets.ts';
import type { PlaceLetter, PlaceRefund, PlaceView, Sent } from '#shared/content/place-view.ts';
import type { PlaceNews } from '#shared/place.ts';
import { lettersShown } from './letters-shown.ts';
import { viewOf } from './place-view.ts';
import type { Visit } from './visits.ts';

/** What a page is made with beside the visit. */
interface Shown {
  at: Date;
  /** What her last press came to. */
  told?: PlaceNews | undefined;
  /** What she sent, when it was not taken. */
  sent?: Sent;
}

/** A page as HTML. */
type Document = (visit: Visit, shown: Shown) => Promise<string>;

/** The pages of one registration, for who is let in. */
export interface PlaceDocuments {
  place: Document;
  receipts: Document;
  /** @param offer what she gets back if she cancels now */
  cancel(visit: Visit, offer: PlaceRefund, shown: Shown): string;
  details(visit: Visit, shown: Shown): string;
  address(visit: Visit, shown: Shown): string;
}

interface Dependencies {
  config: Config;
  assets: Assets;
  links: PlaceLinks;
  mailQueue: Pick<MailQueue, 'stateOf'>;
}

export function createPlaceDocuments({ config, assets, links, mailQueue }: Dependencies): PlaceDocuments {
  const { stripe, office, videoRoomUrl } = config;
  const shown = { office: contactOf(office), styles: [assets.placeStyle] };
  const viewWith = (visit: Visit, { at, told }: Shown, letters: readonly PlaceLetter[]): PlaceView => {
    const { record, mayAct, session, secondFactor } = visit;
    const token = mayAct ? links.pressToken(session.text) : '';
    const beside = { mayAct, token, secondFactor: secondFactor.kind, letters, videoRoomUrl };
    return viewOf(record, at, { ...beside, ...(told && { told }) });
  };
  /** A page of a form tells of no letters. */
  const formOf = (visit: Visit, { sent, ...rest }: Shown) => ({
    ...shown,
    view: viewWith(visit, rest, []),
    ...(sent && { sent }),
  });
  return {
    async place(visit, told) {
      const { publishableKey, scriptUrl = null } = stripe;
      const view = viewWith(visit, told, await lettersShown(visit.record, told.at, mailQueue));
      const script = assets.placeScript;
      return renderPlaceDocument({ ...shown, view, script, stripe: { publishableKey, scriptUrl } });
    },
    receipts: async (visit, told) => renderReceiptsDocument({ ...shown, view: viewWith(visit, told, []) }),
    cancel: (visit, offer, told) => renderCancelDocument({ ...formOf(visit, told), offer }),
    details: (visit, told) => renderDetailsDocument(formOf(visit, told)),
    address: (visit, told) => renderAddressDocument(formOf(visit, told)),
  };
}
