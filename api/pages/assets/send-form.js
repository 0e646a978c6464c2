// The form goes on without a click. Where scripts do not run, its button does it, or another way of the page.
document.getElementById('send').submit();
