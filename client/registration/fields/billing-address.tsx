import { useEffect } from 'react';
import { formValueSelector, type WrappedFieldProps } from 'redux-form';
import { type RootState, useAppSelector } from '#client/store/store.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { areaOf, type BillingPlace, isSoldTo, nameOfArea, soldWhere } from '#shared/content/sells.ts';
import { listCountries, needsPostalCode } from '#shared/countries.ts';
import { messages } from '#shared/registration.ts';
import { needsState, stateKindOf } from '#shared/states.ts';
import { typedText } from '#shared/typed-text.ts';
import { controlProps, FieldFrame, FormField, TextField } from './form-field.tsx';

const copy = registrationCopy.payment;

/** The billing address, with the labels that the chosen country uses. */
export function AddressFields({ form }: { form: string }) {
  const country = useAppSelector((state): unknown =>
    formValueSelector<RootState>(form)(state, 'addressCountry'),
  );
  const postalCodeNeeded = needsPostalCode(country);
  const stateNeeded = needsState(country);
  const stateLabel = copy.addressState[stateKindOf(country)];
  return (
    <div className="address-fields">
      <TextField name="addressLine1" label={copy.addressLine1} autoComplete="billing address-line1" />
      <TextField
        name="addressLine2"
        label={copy.addressLine2}
        required={false}
        autoComplete="billing address-line2"
      />
      <FormField name="addressCountry" label={copy.addressCountry} component={CountrySelect} />
      <TextField name="addressCity" label={copy.addressCity} autoComplete="billing address-level2" />
      <TextField
        name="addressState"
        label={stateNeeded ? stateLabel : copy.optional(stateLabel)}
        required={stateNeeded}
        autoComplete="billing address-level1"
      />
      <TextField
        name="addressPostalCode"
        label={postalCodeNeeded ? copy.addressPostalCode : copy.optional(copy.addressPostalCode)}
        required={postalCodeNeeded}
        autoComplete="billing postal-code"
        autoCapitalize="characters"
        spellCheck={false}
        enterKeyHint="done"
      />
    </div>
  );
}

const countries = listCountries();

/** The billing country, as its two-letter code. */
function CountrySelect({ input, meta, label }: WrappedFieldProps & { label: string }) {
  return (
    <FieldFrame name={input.name} label={label} meta={meta}>
      <select
        {...input}
        {...controlProps(input.name, meta)}
        className="field__control"
        autoComplete="billing country"
      >
        <option value="">{copy.chooseCountry}</option>
        {countries.map(({ code, label: country }) => (
          <option key={code} value={code}>
            {country}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** The fields of the payment form that hold it. */
interface PlaceFields {
  addressCountry?: unknown;
  addressState?: unknown;
}

/** The billing address in a payment form, as far as it decides whether the edition is sold there. */
function placeIn({ addressCountry: country = '', addressState: state = '' }: PlaceFields): BillingPlace {
  return { country: String(country), state: String(state) };
}

/**
 * The billing address in a payment form while it is being filled in: a state counts once it is typed to its end, as the
 * first letters of one may be those of another.
 */
export function useBillingPlace(form: string): BillingPlace {
  const country = useAppSelector(({ form: forms }) => placeIn(forms?.[form]?.values ?? {}).country);
  const state = useAppSelector(({ form: forms }) => {
    const { active, values = {} } = forms?.[form] ?? {};
    return active === 'addressState' ? '' : placeIn(values).state;
  });
  return { country, state };
}

/** Why the edition is not sold to a billing address: the field, and the area that it names. */
interface Unsold {
  field: 'addressCountry' | 'addressState';
  area: string;
}

/** Why the edition on sale is not sold to a billing address; undefined if it is, or that is not known yet. */
function unsoldIn(place: BillingPlace): Unsold | undefined {
  const { sells } = facts;
  const { country } = place;
  if (!sells || country === '' || isSoldTo(sells, place) !== false) return undefined;
  const isOfCountry = isSoldTo(sells, { country, state: '' }) === false;
  return isOfCountry
    ? { field: 'addressCountry', area: country }
    : { field: 'addressState', area: areaOf(place) };
}

/** The same while the form is being filled in; the field then shows its error, also before she leaves it. */
export function useUnsold(place: BillingPlace, touch: (field: string) => void): Unsold | undefined {
  const unsold = unsoldIn(place);
  const field = unsold?.field;
  useEffect(() => {
    if (field !== undefined) touch(field);
  }, [touch, field]);
  return unsold;
}

/** Why nothing can be paid, in a sentence. */
export function unsoldWords({ area }: Unsold): string {
  const where = soldWhere(facts.sells ?? {});
  return `We are sorry: this retreat is not sold to billing addresses in ${nameOfArea(area)}. It is sold ${where}.`;
}

const WORDS = { addressCountry: messages.countryNotSold, addressState: messages.stateNotSold };

/**
 * The error of a payment form's fields about where the edition is sold. Where it is not, nothing else is asked of her:
 * `ends` is set.
 */
export function sellingErrors(values: PlaceFields): { errors: Record<string, string>; ends: boolean } {
  const place = placeIn(values);
  const unsold = unsoldIn(place);
  if (unsold) return { errors: { [unsold.field]: WORDS[unsold.field] }, ends: true };
  const isUnknown =
    facts.sells && typedText(place.state) !== '' && isSoldTo(facts.sells, place) === undefined;
  return { errors: isUnknown ? { addressState: messages.stateUnknown } : {}, ends: false };
}
