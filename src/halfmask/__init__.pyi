from halfmask.api import Generator as Generator
from halfmask.api import Model as Model
from halfmask.choosing.choice import Choice as Choice
from halfmask.choosing.choice import choose_method as choose_method
from halfmask.errors import BadInput as BadInput
from halfmask.errors import HalfmaskError as HalfmaskError
from halfmask.errors import HalfmaskWarning as HalfmaskWarning
from halfmask.errors import TargetNotMet as TargetNotMet
from halfmask.front import measure as measure
from halfmask.front import publish as publish
from halfmask.publishing import Publication as Publication

__version__: str
