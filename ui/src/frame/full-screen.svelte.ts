// Whether the screen that is shown wants all of the page for itself, without the rail beside it.

class FullScreen {
  isOn = $state(false);

  /** The answer gives the rail back. */
  take(): () => void {
    this.isOn = true;
    return () => {
      this.isOn = false;
    };
  }
}

export const fullScreen = new FullScreen();
