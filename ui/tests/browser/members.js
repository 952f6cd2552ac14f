// Other people of the organisation, each signed in with a browser of their own.

import { openPage } from "./browser.js";

export const PASSWORD = "a long enough secret 43";

/** Adds somebody with a role and signs them in; what goes wrong in their pages is in `faults`. */
export async function memberPage(service, browser, name, role, options) {
  const { id } = await service.call("/v2/users", { name, email: `${name.toLowerCase()}@example.com`, role });
  const { link } = await service.call(`/v2/users/${id}/invitation`, undefined, "POST");
  const opened = await openPage(browser, options);
  // The pages to sign in are the service's own, which is also behind the one that serves the built files.
  await opened.page.goto(link.replace(new URL(link).origin, service.address));
  for (const field of await opened.page.locator('input[type="password"]').all()) await field.fill(PASSWORD);
  await opened.page.locator('main button[type="submit"]').first().click();
  await opened.page.waitForURL((address) => !address.pathname.startsWith("/setup"));
  return { ...opened, id };
}
