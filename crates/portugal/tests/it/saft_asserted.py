import sys, xmlschema
schema = xmlschema.XMLSchema11(sys.argv[1])
for path in sys.argv[2:]:
    for error in schema.iter_errors(path):
        print(path, error.path, error.reason)
