# A map to try gyre import on: five cities with rounded coordinates, and links that nobody built.
# Their latencies follow from a rule; one capacity is given, the others are the importer's to choose.
graph [
  Network "example"
  node [ id 0 label "New York" Latitude 40.71 Longitude -74.01 ]
  node [ id 1 label "London" Latitude 51.51 Longitude -0.13 ]
  node [ id 2 label "Frankfurt" Latitude 50.11 Longitude 8.68 ]
  node [ id 3 label "Singapore" Latitude 1.35 Longitude 103.82 ]
  node [ id 4 label "Tokyo" Latitude 35.68 Longitude 139.69 ]
  edge [ source 0 target 1 bandwidth "100 Gbps" ]
  edge [ source 1 target 2 ]
  edge [ source 2 target 3 ]
  edge [ source 3 target 4 ]
  edge [ source 4 target 0 ]
]
