// A page that lives at a moment which the measurement chooses, so that events which are kept from run to run are those
// of the last day. What answers say of the time is not heard, or the page would correct its clock.

export async function liveAt(context, moment) {
  await context.addInitScript((ms) => {
    window.moment = ms;
    Date.now = () => window.moment;
    const get = Headers.prototype.get;
    Headers.prototype.get = function (name) {
      return name.toLowerCase() === "date" ? null : get.call(this, name);
    };
  }, moment);
}

export const moveTo = (page, moment) =>
  page.evaluate((ms) => {
    window.moment = ms;
  }, moment);
