import { createSlice } from '@reduxjs/toolkit';
import type { SiteState } from '#shared/page.ts';

const initialState: SiteState = {
  officeEmail: '',
  officePhone: '',
  officeFax: null,
  officePostalAddress: null,
  officeLegalName: null,
  registrationOpen: true,
  stripePublishableKey: '',
  stripeScriptUrl: null,
  metaPixelId: null,
  metaPixelScriptUrl: null,
};

/** What the server told the page of its configuration. It never changes in the browser. */
export const siteSlice = createSlice({
  name: 'site',
  initialState,
  reducers: {},
  selectors: { selectSite: (site): SiteState => site },
});

export const { selectSite } = siteSlice.selectors;
