/** Texts of the script on a registrant's page, which takes payments and changes the card. */
export const ownPageScriptWords = {
  wait: 'One moment …',
  retry: 'Try again',
  fields: {
    cardholder: 'Cardholder name is required',
    cardNumber: 'Card number is required',
    cardExpiry: 'Card expiry is required',
    cardCvc: 'Security code is required',
    cardIncomplete: 'Please complete this field',
    proof: 'Please fill this in, so that we know it is you',
  },
  stripeMissing:
    'The part of this page that takes cards could not be loaded. Perhaps you are offline, or something in your browser keeps Stripe away.',
  offline: 'The connection was lost. Are you offline? When it is back, please press the button again.',
  closed:
    'This page was open for a long time and has closed itself. Please open it again with the link in our last message.',
  tooMany: 'That was tried too often. Please wait a while, or ask the office.',
  unexpected: 'Something went wrong on our side. Please try again in a few minutes, or ask the office.',
  processing:
    'Your bank is still working on the payment. Please wait a minute and load this page again: do not pay twice.',
  unheard:
    'The connection was lost while you were paying. When it is back, please press the button again: if the payment went through, we will find it, and you will not be charged twice.',
  notConfirmed: 'Your bank did not get your confirmation. Please try once more, or use another card.',
  notStored:
    'The card is good, but the connection was lost before we could note it. Nothing was charged. Please press the button again.',
  nothingCharged: 'Nothing was charged.',
  nothingChanged: 'Nothing was charged, and the card on file stays as it was.',
} as const;
