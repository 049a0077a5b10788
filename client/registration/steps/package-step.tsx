import { registrationKey } from '#client/registration/payment/registration-key.ts';
import { next, selectRegistration } from '#client/store/stepper-slice.ts';
import { selectSite, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/links.tsx';
import { Items } from '#client/ui/texts.tsx';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { afterDeposit, reliefs, wholePrice } from '#shared/content/prices.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatDollars } from '#shared/money.ts';
import { PolicyDetails } from './policies.tsx';
import { StepFooter } from './step-footer.tsx';

const { retreatPackage, prices } = facts;
const copy = registrationCopy.package;

/** Step 1: the package and its price (R2.4). Choosing it starts the registration and gives it its key. */
export function PackageStep() {
  const dispatch = useAppDispatch();
  const { idempotencyKey } = useAppSelector(selectRegistration);
  const choose = () => {
    dispatch(
      next({
        package: retreatPackage.id,
        liveStreamingPass: retreatPackage.selection,
        idempotencyKey: idempotencyKey ?? registrationKey(),
      }),
    );
  };
  return (
    <>
      <PackageCard onChoose={choose} />
      <p className="package-note">
        ** {copy.byCheck(prices)}, or to ask about payment plans, contact the retreat office by e-mail at{' '}
        <OfficeEmailLink /> or by phone at <OfficePhoneLink />.
      </p>
      <StepFooter onNext={choose} />
    </>
  );
}

function PackageCard({ onChoose }: { onChoose: () => void }) {
  const { balanceTiming } = useAppSelector(selectSite);
  const { title, oldPrice, total, deposit, features, asteriskNote } = retreatPackage;
  return (
    <article className="package-card" aria-labelledby="package-title">
      <p className="package-card__banner">{copy.banner(prices.savingCents)}</p>
      <h3 id="package-title">{title}</h3>
      <p className="package-card__price">
        <s>
          <span className="visually-hidden">{copy.oldPriceLabel} </span>
          {formatDollars(oldPrice)}
        </s>
        {'\u00a0· '}
        <strong>
          <span className="visually-hidden">{copy.priceLabel} </span>
          {formatDollars(total)}
        </strong>
      </p>
      <p className="package-card__rate">{copy.rateLabel}</p>
      <p className="package-card__whole">{wholePrice(facts)}</p>
      <ul>
        <Items of={features} />
      </ul>
      {asteriskNote && <p>* {asteriskNote}</p>}
      <p className="package-card__deposit">
        {copy.depositLabel} <strong>{formatDollars(deposit)}**</strong>
      </p>
      <p className="package-card__after">{afterDeposit(facts, balanceTiming)}</p>
      <p className="package-card__after">{copy.reliefs}</p>
      <ul>
        <Items of={reliefs(facts, balanceTiming)} />
      </ul>
      <button id="choose-package" type="button" className="button" onClick={onChoose}>
        {copy.select}
      </button>
      <PolicyDetails />
    </article>
  );
}
