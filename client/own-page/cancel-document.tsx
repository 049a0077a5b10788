import { cancelPageWords, describeOffer } from '#shared/content/own-page-cancel.ts';
import type { OwnPageRefund, OwnPageView } from '#shared/content/own-page-view.ts';
import { waysToCancel } from '#shared/content/policies.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { FormDocument, type FormDocumentProps, OwnPageForm } from './form-document.tsx';
import { ProofField } from './form-field.tsx';
import { RefundLines } from './refund-lines.tsx';

interface CancelDocumentProps extends FormDocumentProps {
  /** What she gets back if she cancels now. */
  offer: OwnPageRefund;
}

/** The page that explains what cancelling means, with the form that cancels. */
export function CancelDocument({ offer, ...props }: CancelDocumentProps) {
  const { view, office, sent } = props;
  const { facts } = view.edition;
  const words = cancelPageWords;
  const paid = view.payments.reduce((sum, { cents }) => sum + cents, 0);
  return (
    <FormDocument {...props} title={words.title} lede={words.lede}>
      <section aria-labelledby="refund">
        <h2 id="refund">{words.refund}</h2>
        <RefundLines refund={offer} edition={view.edition} />
        {describeOffer(offer, view).map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </section>
      <section aria-labelledby="ends">
        <h2 id="ends">{words.ends}</h2>
        <p>{words.endsText}</p>
      </section>
      <section aria-labelledby="undo">
        <h2 id="undo">{words.undo}</h2>
        <p>{words.undoText(isUndoShort(view))}</p>
      </section>
      <section className="place-act" aria-labelledby="act">
        <h2 id="act">{words.act}</h2>
        <OwnPageForm {...props} action={formPaths.cancel} submit={words.submit} whenSpent={words.spent}>
          <input type="hidden" name="cents" value={offer.cents} />
          <input type="hidden" name="paid" value={paid} />
          <p>{words.noReason}</p>
          <ProofField kind={view.secondFactor} note={words.proofNote} sent={sent} />
        </OwnPageForm>
      </section>
      <section aria-labelledby="in-writing">
        <h2 id="in-writing">{words.inWriting}</h2>
        <p>{words.inWritingText(waysToCancel(office, facts.siteName))}</p>
      </section>
    </FormDocument>
  );
}

const UNDO_MS = 24 * 60 * 60 * 1000;

function isUndoShort({ now, edition }: OwnPageView): boolean {
  return now.getTime() + UNDO_MS > Date.parse(edition.facts.endsAt);
}
